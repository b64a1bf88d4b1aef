import { keychainStore } from '@mcp-fittings/store-keychain';
import { IN_PROCESS, onRealService, WHOLE } from './support/real-service-suites.js';

onRealService(({ suite, suiteWithHelpers }) => {
  suiteWithHelpers('@github/keytar in a helper process', {
    driver: '@github/keytar',
    chunkCharacters: WHOLE,
  });
  // A driver that is an object cannot run in another process.
  suite('a given keytar', IN_PROCESS, async (place) => {
    // Loaded only here: without libsecret it throws.
    const { default: keytar } = await import('@github/keytar');
    const options = { driver: keytar, chunkCharacters: WHOLE, ...place };
    return { store: keychainStore(options), sibling: keychainStore(options) };
  });
});
