/** Published as one file, because a remote transport loads all of it. The entry points are the subjects. */
export * from './connect.js';
export * from './parameter-headers.js';
export * from './refusal.js';
