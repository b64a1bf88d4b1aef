// Loaded before `fittings` in tests: the home directory of the account is that of the workspace. The program ignores HOME there, because
// a project can set it; what can set NODE_OPTIONS runs its own code anyway.
const os = require('node:os');
const { syncBuiltinESMExports } = require('node:module');

const { userInfo } = os;
os.userInfo = (options) => ({ ...userInfo(options), homedir: process.env.HOME });
syncBuiltinESMExports();
