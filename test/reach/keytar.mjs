/** A keychain in memory with the functions of keytar: what is tried is the process that it is loaded in. */
const items = new Map();
export const getPassword = async (service, account) => items.get(`${service} ${account}`) ?? null;
export const setPassword = async (service, account, password) =>
  void items.set(`${service} ${account}`, password);
export const deletePassword = async (service, account) => items.delete(`${service} ${account}`);
