import type { Shell } from './command.js';

/** Scripts ask the program itself what fits, so that they never grow old. Words are passed on as they are, unevaluated. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_fittings() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
    fittings __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F _fittings fittings`,
  zsh: `#compdef fittings
_fittings() {
  local -a found
  found=("\${(@f)$(fittings __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -Q -- $found || _files
}
(( $+functions[compdef] )) && compdef _fittings fittings`,
  fish: `function __fittings_complete
  set -l words (commandline -opc) (commandline -ct)
  fittings __complete -- $words[2..-1] 2>/dev/null
end
complete -c fittings -a '(__fittings_complete)'`,
};
