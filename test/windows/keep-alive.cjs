/** Wine 8 cannot set TCP keep-alive on a socket before it is connected, as undici does: it is set afterwards. */
const { Socket } = require('node:net');

const { setKeepAlive } = Socket.prototype;
Socket.prototype.setKeepAlive = function setKeepAliveOnceConnected(...settings) {
  if (!this.connecting) return setKeepAlive.apply(this, settings);
  return this.once('connect', () => setKeepAlive.apply(this, settings));
};
