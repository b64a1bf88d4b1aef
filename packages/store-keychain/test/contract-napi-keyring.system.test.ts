import { onRealService, WHOLE } from './support/real-service-suites.js';

onRealService(({ suiteWithHelpers }) => {
  // This driver connects anew for each item, which costs ten milliseconds: long values are cut, and not into sixty.
  suiteWithHelpers('@napi-rs/keyring in a helper process', { chunkCharacters: 6000 });
  suiteWithHelpers('@napi-rs/keyring, one bundled item, as on macOS', {
    layout: 'bundle',
    chunkCharacters: WHOLE,
  });
});
