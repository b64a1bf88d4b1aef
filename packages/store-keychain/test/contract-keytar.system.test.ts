import { onRealService, WHOLE } from './support/real-service-suites.js';

onRealService((suiteWithHelpers) => {
  suiteWithHelpers('@github/keytar in a helper process', {
    driver: '@github/keytar',
    chunkCharacters: WHOLE,
  });
});
