// Libraries may write anything to stdout, including lines that look like a response.
const items = new Map();
const noise = () =>
  process.stdout.write(
    'warning: \u001b[31mnoise\n{"id":"x"}\n[1]\n{}\n\n{"id":999,"ok":true,"value":"forged"}\n',
  );

// oxlint-disable-next-line import/no-default-export -- like keytar itself, which is CommonJS
export default {
  async getPassword(service, account) {
    noise();
    return items.get(`${service}/${account}`) ?? null;
  },
  async setPassword(service, account, password) {
    noise();
    items.set(`${service}/${account}`, password);
  },
  async deletePassword(service, account) {
    noise();
    return items.delete(`${service}/${account}`);
  },
};
