import { officialServers } from '../../../../scripts/bundled.mjs';

/** Lines of a shell that do what `npx -y @scope/name …` does, if it is a server of the official ones; `"$@"` is what comes after `npx`. */
export async function startServer(pipedFrom = ''): Promise<string> {
  const cases = Object.entries(await officialServers()).map(
    ([name, program]) => `  */${name}) server="${program}" ;;`,
  );
  return `case "$2" in
${cases.join('\n')}
  *) echo "npx $*: not installed here" >&2; exit 1 ;;
esac
shift 2
${pipedFrom}exec node "$server" "$@"
`;
}
