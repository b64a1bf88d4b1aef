import { isRecord } from '@mcp-fittings/toolbox/messages';
import { escapeText } from '@mcp-fittings/toolbox/text';

/**
 * The browser capabilities that an app gets: a member is an empty object, or absent. The type is that of
 * `McpUiResourcePermissions` of `@modelcontextprotocol/ext-apps`.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (UI Resource Format)
 */
export type AppPermissions = {
  camera?: Record<string, never>;
  microphone?: Record<string, never>;
  geolocation?: Record<string, never>;
  clipboardWrite?: Record<string, never>;
};

type AppPermission = keyof AppPermissions;

/** Each permission with its feature of the Permissions Policy. */
const FEATURES: readonly (readonly [name: AppPermission, feature: string])[] = [
  ['camera', 'camera'],
  ['microphone', 'microphone'],
  ['geolocation', 'geolocation'],
  ['clipboardWrite', 'clipboard-write'],
];
/** Most unknown members that are reported. */
const MAX_REPORTED = 10;

/** Reads `_meta.ui.permissions`. Adds a sentence to `refused` for everything that is left out. */
export function readPermissions(
  value: unknown,
  granted: readonly AppPermission[] | undefined,
  refused: string[],
): AppPermissions {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    refused.push('"permissions" is not an object.');
    return {};
  }
  const permissions: AppPermissions = {};
  for (const [name] of FEATURES) {
    if (!Object.hasOwn(value, name) || value[name] === undefined) continue;
    if (!isRecord(value[name])) refused.push(`"permissions": "${name}" is not an object.`);
    else if (granted?.includes(name) === false) {
      refused.push(`"permissions": "${name}" is not granted by this host.`);
    } else permissions[name] = {};
  }
  const unknown = Object.keys(value).filter((name) => !FEATURES.some(([known]) => known === name));
  for (const name of unknown.slice(0, MAX_REPORTED)) {
    refused.push(`"permissions": "${escapeText(name, { maxLength: 60 })}" is not known.`);
  }
  return permissions;
}

/** Returns the `allow` attribute of the frame: features of the Permissions Policy, separated by semicolons. */
export function allowAttribute(permissions: AppPermissions): string {
  return FEATURES.filter(([name]) => permissions[name] !== undefined)
    .map(([, feature]) => feature)
    .join('; ');
}
