/** KEYS: value. ARGV: text, life ms. */
export const KEEP = `
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'ok'`;

/** KEYS: value. */
export const DROP = `
redis.call('DEL', KEYS[1])
return 'ok'`;
