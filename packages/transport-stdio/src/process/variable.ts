export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable as the platform's own lookup finds it. */
export function variable(env: Environment, name: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== 'win32') return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
