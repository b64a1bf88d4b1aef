/**
 * A sign-in surface without a person: the mock authorization servers redirect at once, so the address that they redirect to
 * is the answer.
 */
export function headless() {
  const redirectUri = 'http://127.0.0.1:33418/callback';
  return {
    async begin() {
      return {
        redirectUri,
        async authorize({ url }) {
          const response = await fetch(url, { redirect: 'manual' });
          const location = response.headers.get('location');
          if (location === null) throw new Error(`the authorization server answered ${response.status}`);
          return new URL(location).searchParams;
        },
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}
