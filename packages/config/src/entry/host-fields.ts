/** Fields that are for the host alone: they decide neither which server an entry leads to nor with which account. */
export const HOST_FIELDS: readonly string[] = [
  'description',
  'disabled',
  'timeout',
  'healthCheck',
  'reconnect',
  'trust',
  'allowedTools',
  'deniedTools',
  'allowedResources',
  'readPermission',
  'writePermission',
];
