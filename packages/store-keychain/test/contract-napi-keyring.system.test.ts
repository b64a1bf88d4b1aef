import { onRealService, WHOLE } from './support/real-service-suites.js';

onRealService((suiteWithHelpers) => {
  // This driver reconnects for each item, which takes 10 ms, so long values are split into few chunks.
  suiteWithHelpers('@napi-rs/keyring in a helper process', { chunkCharacters: 6000 });
  suiteWithHelpers('@napi-rs/keyring, one bundled item, as on macOS', {
    layout: 'bundle',
    chunkCharacters: WHOLE,
  });
});
