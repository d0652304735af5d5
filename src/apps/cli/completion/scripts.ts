import type { SHELLS } from '../declared/completion.ts';

/*
 * Each script asks `rollcall __complete WORDS…` and reads candidates, each with its help behind a
 * tab, and a last line `:N` whose bits say what the shell does besides: 2 adds no blank, 4 looks
 * for no files, 16 looks for folders only.
 */

const BASH = `# bash completion for rollcall. Load it: source <(rollcall completion bash)
_rollcall() {
  local rest=\${COMP_LINE:0:COMP_POINT} part line directive=4 value
  local -a words=()
  COMPREPLY=()
  # bash splits words at = and : too; those without a blank between them are one.
  for part in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ \${#words[@]} == 0 || $rest == [[:blank:]]* ]]; then
      rest=\${rest#"\${rest%%[![:blank:]]*}"}
      words+=("\${rest:0:\${#part}}")
    else
      words[-1]+=\${rest:0:\${#part}}
    fi
    rest=\${rest:\${#part}}
  done
  local current=\${words[-1]}
  current=\${current#--*=}
  while IFS= read -r line; do
    case $line in
      :[0-9]*) directive=\${line#:} ;;
      *)
        value=\${line%%$'\\t'*}
        COMPREPLY+=("$(printf '%q' "$value")")
        ;;
    esac
  done < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
  ((directive & 2)) && compopt -o nospace
  if ((directive & 16)); then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  elif ! ((directive & 4)) && ((\${#COMPREPLY[@]} == 0)); then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
  # Names with a colon are several words to bash: what stands before the last one is there already.
  if [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    local before=\${current%"\${current##*:}"} index
    for index in "\${!COMPREPLY[@]}"; do COMPREPLY[index]=\${COMPREPLY[index]#"$before"}; done
  fi
}
complete -F _rollcall rollcall
`;

const ZSH = `#compdef rollcall
# zsh completion for rollcall. Load it: source <(rollcall completion zsh)
_rollcall() {
  local line value help directive=4 prefix=
  local -a candidates blank
  local current=\${words[CURRENT]}
  [[ $current == --*=* ]] && prefix=\${current%%=*}=
  while IFS= read -r line; do
    if [[ $line == :<-> ]]; then
      directive=\${line#:}
    else
      value=\${line%%$'\\t'*}
      help=\${line#*$'\\t'}
      [[ $help == $line ]] && help=
      candidates+=("\${value//:/\\\\:}\${help:+:$help}")
    fi
  done < <("\${(Q)words[1]}" __complete "\${(@Q)words[2,CURRENT-1]}" "\${(Q)current}" 2>/dev/null)
  ((directive & 2)) && blank=(-S '')
  [[ -n $prefix ]] && compset -P "$prefix"
  if ((directive & 16)); then
    _files -/
  elif ((\${#candidates} > 0)); then
    _describe -V rollcall candidates $blank
  elif ! ((directive & 4)); then
    _files
  fi
}
# As a file of $fpath it is called; sourced, it only has to be known.
if [[ \${funcstack[1]} == _rollcall ]]; then
  _rollcall "$@"
else
  compdef _rollcall rollcall
fi
`;

const FISH = `# fish completion for rollcall. Load it: rollcall completion fish | source
function __rollcall_answer
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l prefix (string match -r -- '^--[^=]*=' $current)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    set -l directive (string replace -f -r '^:([0-9]+)$' '$1' -- $lines[-1])
    test -n "$directive"; or return
    for line in $lines[1..-2]
        test -n "$line"; and printf '%s%s\\n' "$prefix" "$line"
    end
    set -l value (string replace -r -- '^--[^=]*=' '' $current)
    if test (math "bitand($directive, 16)") -ne 0
        __fish_complete_directories "$value" | string replace -r '^' -- "$prefix"
    else if test (count $lines) -le 1; and test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path "$value" | string replace -r '^' -- "$prefix"
    end
end
complete -c rollcall -f -k -a '(__rollcall_answer)'
`;

/** The script of each shell, to be sourced. */
export const COMPLETION_SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
};
