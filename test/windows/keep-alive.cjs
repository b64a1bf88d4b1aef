/** Wine 8 cannot set TCP keep-alive on a socket before it is connected, as undici does: it is set afterwards. */
const { Socket } = require('node:net');

const original = Object.getOwnPropertyDescriptor(Socket.prototype, 'setKeepAlive').value;
Socket.prototype.setKeepAlive = function setKeepAliveOnceConnected(...settings) {
  if (!this.connecting) return original.apply(this, settings);
  return this.once('connect', () => original.apply(this, settings));
};
