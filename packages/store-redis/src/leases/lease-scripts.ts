/** KEYS: lease, fence. */

/**
 * ARGV: token, lease ms, fence ms. `taken`, or how many milliseconds the present holder has left. One who asks again
 * because the answer was lost gets the same answer.
 */
export const TAKE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] and not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return tonumber(ARGV[2]) end
  return left
end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
return 'taken'`;

/** ARGV: token, lease ms. 1: the lease holds on, also one that ran out and that nobody has taken since. 0: lost. */
export const RENEW = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** ARGV: token. Takes away nobody else's lease. */
export const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;
