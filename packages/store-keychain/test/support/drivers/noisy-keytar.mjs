// Libraries write to stdout what they like, also what looks like an answer.
const items = new Map();
const noise = () =>
  process.stdout.write(
    'warning: \u001b[31mnoise\n{"id":"x"}\n[1]\n{}\n\n{"id":999,"ok":true,"value":"forged"}\n',
  );

// oxlint-disable-next-line import/no-default-export -- as keytar itself, which is CommonJS
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
