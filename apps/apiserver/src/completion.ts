import { shells } from './arguments.ts'
import type { Shell } from './arguments.ts'
import { flags } from './flags.ts'

const commands: Readonly<Record<string, string>> = {
  completion: 'Print a completion script for a shell',
  help: 'List the flags',
  kubeconfig: 'Print a kubeconfig for a user',
  version: 'Print the version',
}

interface CompletedFlag {
  readonly name: string
  readonly help: string
  /** True if `--name` is complete without a value. A value must then follow after "=". */
  readonly isSwitch: boolean
  readonly values: readonly string[] | 'file' | 'directory' | undefined
}

function completedFlags(): readonly CompletedFlag[] {
  const definedFlags = Array.from(flags, ([name, { type, help }]) => ({
    name,
    help: firstSentence(help),
    isSwitch: type.isSwitch === true,
    values: type.completions,
  }))
  return [
    ...definedFlags,
    { name: 'help', help: 'List the flags', isSwitch: true, values: undefined },
    { name: 'version', help: 'Print the version', isSwitch: true, values: ['true', 'false', 'raw'] },
  ]
}

function firstSentence(help: string): string {
  return /^(.*?)[.;](?: |$)/.exec(help)?.[1] ?? help
}

const option = ({ name }: CompletedFlag): string => (name.length === 1 ? `-${name}` : `--${name}`)

/** Returns the completion script for a shell. It completes commands, flags and values of `keelson`. */
export function completionScript(shell: Shell): string {
  const all = completedFlags()
  return { bash, zsh, fish, powershell }[shell](all)
}

/**
 * Returns the completion script for bash. The script also works with bash 3.2 on macOS, which has no `mapfile`, and may have no `compopt`.
 */
function bash(all: readonly CompletedFlag[]): string {
  const pattern = (which: readonly CompletedFlag[]): string => which.map(option).join('|')
  const files = all.filter(({ values }) => values === 'file')
  const directories = all.filter(({ values }) => values === 'directory')
  const valueCases = all.flatMap((flag) =>
    Array.isArray(flag.values) ? [`    ${option(flag)}) COMPREPLY=($(compgen -W '${flag.values.join(' ')}' -- "$cur")) ;;`] : [],
  )
  const names = all.map((flag) => `${option(flag)}${flag.isSwitch ? '' : '='}`)
  return `# bash completion for keelson
_keelson() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" flag=''
  COMPREPLY=()
  # bash takes "--flag=value" for three words.
  if [[ $cur == '=' ]]; then flag="$before" cur=''
  elif [[ $before == '=' ]]; then flag="\${COMP_WORDS[COMP_CWORD-2]}"
  else
    case "$before" in
    ${pattern(all.filter(({ isSwitch }) => !isSwitch))}) flag="$before" ;;
    esac
  fi
  local IFS=$' \\n'
  case "$flag" in
    '') ;;
    ${pattern(files)}) IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return ;;
    ${pattern(directories)}) IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur")); return ;;
${valueCases.join('\n')}
    *) return ;;
  esac
  [[ -n $flag ]] && return
  if [[ $before == completion && $COMP_CWORD -eq 2 ]]; then
    COMPREPLY=($(compgen -W '${shells.join(' ')}' -- "$cur"))
    return
  fi
  local words='${names.join(' ')}'
  [[ $COMP_CWORD -eq 1 && $cur != -* ]] && words='${Object.keys(commands).join(' ')}'
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _keelson keelson
`
}

function zsh(all: readonly CompletedFlag[]): string {
  const quoted = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&').replaceAll("'", "'\\''")
  const action = ({ name, values }: CompletedFlag): string => {
    if (values === undefined) return `:${name}: `
    return values === 'file' ? `:${name}:_files` : values === 'directory' ? `:${name}:_files -/` : `:${name}:(${values.join(' ')})`
  }
  const specs = all.map((flag) => {
    if (flag.name === 'help') return `    '(- *)--help[${quoted(flag.help)}]'`
    // "=-" means that a value must follow after "=". "::" makes the value optional.
    const separator = flag.name.length === 1 ? '' : flag.isSwitch ? '=-' : '='
    return `    '*${option(flag)}${separator}[${quoted(flag.help)}]${flag.isSwitch ? ':' : ''}${action(flag)}'`
  })
  const described = Object.entries(commands).map(([name, help]) => `'${name}:${quoted(help)}'`)
  return `#compdef keelson
_keelson() {
  if [[ \${words[2]} == completion && CURRENT -eq 3 ]]; then
    _values shell ${shells.join(' ')}
    return
  fi
  if [[ CURRENT -eq 2 && \${words[2]} != -* ]]; then
    local -a commands=(${described.join(' ')})
    _describe command commands
    return
  fi
  _arguments -S \\
${specs.join(' \\\n')}
}
if [[ $funcstack[1] == _keelson ]]; then _keelson "$@"; else compdef _keelson keelson; fi
`
}

function fish(all: readonly CompletedFlag[]): string {
  const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
  const lines = all.map((flag) => {
    const { values, isSwitch } = flag
    const value = isSwitch
      ? ''
      : values === 'file'
        ? ' -r -F'
        : values === 'directory'
          ? " -x -a '(__fish_complete_directories)'"
          : ` -x${values === undefined ? '' : ` -a ${quoted(values.join(' '))}`}`
    return `complete -c keelson -${flag.name.length === 1 ? 's' : 'l'} ${flag.name}${value} -d ${quoted(flag.help)}`
  })
  const commandLines = Object.entries(commands).map(
    ([name, help]) => `complete -c keelson -n __fish_use_subcommand -a ${name} -d ${quoted(help)}`,
  )
  return `# fish completion for keelson
complete -c keelson -f
${commandLines.join('\n')}
complete -c keelson -n '__fish_seen_subcommand_from completion' -a '${shells.join(' ')}'
${lines.join('\n')}
`
}

function powershell(all: readonly CompletedFlag[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
  const table = all.map((flag) => {
    const values = Array.isArray(flag.values) ? flag.values : []
    return `    ${quoted(option(flag))} = @{ help = ${quoted(flag.help)}; values = @(${values.map(quoted).join(', ')}); suffix = ${quoted(flag.isSwitch ? '' : '=')} }`
  })
  return `# PowerShell completion for keelson
Register-ArgumentCompleter -Native -CommandName keelson -ScriptBlock {
  param($word, $ast, $position)
  $flags = [ordered]@{
${table.join('\n')}
  }
  $result = { param($text, $help) [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $help) }
  if ($word -match '^(-[^=]+)=(.*)$') {
    $flag = $Matches[1]; $begun = $Matches[2]
    if ($flags.Contains($flag)) { $flags[$flag].values | Where-Object { $_.StartsWith($begun) } | ForEach-Object { & $result "$flag=$_" $_ } }
    return
  }
  $words = @($ast.CommandElements | ForEach-Object { $_.ToString() })
  if ($words.Count -ge 2 -and $words[1] -eq 'completion') {
    ${shells.map(quoted).join(', ')} | Where-Object { $_.StartsWith($word) } | ForEach-Object { & $result $_ $_ }
    return
  }
  if ($word -like '-*') {
    $flags.GetEnumerator() | Where-Object { $_.Key.StartsWith($word) } | ForEach-Object { & $result ($_.Key + $_.Value.suffix) $_.Value.help }
    return
  }
  ${Object.keys(commands).map(quoted).join(', ')} | Where-Object { $_.StartsWith($word) } | ForEach-Object { & $result $_ $_ }
}
`
}
