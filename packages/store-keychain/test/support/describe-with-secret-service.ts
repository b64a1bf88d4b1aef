import { describeWith } from '../../../../scripts/describe-with.js';
import { missingComponents } from './secret-service.js';

export function describeWithSecretService(name: string, define: () => void): void {
  const packages = 'gnome-keyring dbus libsecret-1-0 libsecret-tools dbus-tests';
  describeWith({ missing: missingComponents(), packages }, name, define);
}
