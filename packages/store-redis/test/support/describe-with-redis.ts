import { spawnSync } from 'node:child_process';
import { describeWith } from '../../../../scripts/describe-with.js';

export function describeWithRedis(name: string, define: () => void): void {
  const isThere = spawnSync('redis-server', ['--version']).status === 0;
  describeWith({ missing: isThere ? [] : ['redis-server'], packages: 'redis-server' }, name, define);
}
