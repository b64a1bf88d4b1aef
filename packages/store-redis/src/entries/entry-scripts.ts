/** Of a value: `<version> <sealed text>`. The version is bound to the sealed text, so that nobody else can make one up. */

/** KEYS: value. ARGV: most bytes. The text; or its length, when it is too long to be fetched; or nothing. */
export const READ = `
local length = redis.call('STRLEN', KEYS[1])
if length > tonumber(ARGV[1]) then return length end
return redis.call('GET', KEYS[1])`;

/** What both ways of writing begin with. KEYS: value, fence. ARGV: token or '', version, text, life ms, highest version. */
const GUARD = `
if ARGV[1] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[1] then return 'lost' end
local head = redis.pcall('GETRANGE', KEYS[1], 0, 15)
local digits = type(head) == 'string' and string.match(head, '^(%d+) ') or '0'
local current = tonumber(digits)
if current >= tonumber(ARGV[2]) and current <= tonumber(ARGV[5]) then return digits end`;

/**
 * `ok`; `lost`, when somebody has taken the lock over; or the version that is there, when it is not older. A version
 * that no clock can have made is none of ours and does not count.
 */
export const WRITE = `${GUARD}
if ARGV[4] == '0' then redis.call('SET', KEYS[1], ARGV[3])
else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
return 'ok'`;

/** The same for the mark of a deleted value, which stays as long as the value would have. */
export const ERASE = `${GUARD}
local left = redis.call('PTTL', KEYS[1])
if left == -2 then return 'ok' end
redis.call('SET', KEYS[1], ARGV[3], 'PX', left > 0 and left or ARGV[4])
return 'ok'`;
