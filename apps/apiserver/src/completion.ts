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

function listCompletedFlags(): readonly CompletedFlag[] {
  const definedFlags = Array.from(flags, ([name, { type, help }]) => ({
    name,
    help: readFirstSentence(help),
    isSwitch: type.isSwitch === true,
    values: type.completions,
  }))
  return [
    ...definedFlags,
    { name: 'help', help: 'List the flags', isSwitch: true, values: undefined },
    { name: 'version', help: 'Print the version', isSwitch: true, values: ['true', 'false', 'raw'] },
  ]
}

function readFirstSentence(help: string): string {
  return /^(.*?)[.;](?: |$)/.exec(help)?.[1] ?? help
}

const formatOption = ({ name }: CompletedFlag): string => (name.length === 1 ? `-${name}` : `--${name}`)

/** Returns the completion script for a shell. It completes commands, flags and values of `keelson`. */
export function createCompletionScript(shell: Shell): string {
  const completedFlags = listCompletedFlags()
  return { bash: createBashScript, zsh: createZshScript, fish: createFishScript, powershell: createPowershellScript }[shell](completedFlags)
}

/**
 * Returns the completion script for bash. The script also works with bash 3.2 on macOS, which has no `mapfile`, and may have no `compopt`.
 */
function createBashScript(completedFlags: readonly CompletedFlag[]): string {
  const createPattern = (matchingFlags: readonly CompletedFlag[]): string => matchingFlags.map(formatOption).join('|')
  const files = completedFlags.filter(({ values }) => values === 'file')
  const directories = completedFlags.filter(({ values }) => values === 'directory')
  const valueCases = completedFlags.flatMap((flag) =>
    Array.isArray(flag.values) ? [`    ${formatOption(flag)}) COMPREPLY=($(compgen -W '${flag.values.join(' ')}' -- "$cur")) ;;`] : [],
  )
  const names = completedFlags.map((flag) => `${formatOption(flag)}${flag.isSwitch ? '' : '='}`)
  return `# bash completion for keelson
_keelson() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" flag=''
  COMPREPLY=()
  # bash takes "--flag=value" for three words.
  if [[ $cur == '=' ]]; then flag="$before" cur=''
  elif [[ $before == '=' ]]; then flag="\${COMP_WORDS[COMP_CWORD-2]}"
  else
    case "$before" in
    ${createPattern(completedFlags.filter(({ isSwitch }) => !isSwitch))}) flag="$before" ;;
    esac
  fi
  local IFS=$' \\n'
  case "$flag" in
    '') ;;
    ${createPattern(files)}) IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return ;;
    ${createPattern(directories)}) IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur")); return ;;
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

function createZshScript(completedFlags: readonly CompletedFlag[]): string {
  const quoteForZsh = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&').replaceAll("'", "'\\''")
  const formatAction = ({ name, values }: CompletedFlag): string => {
    if (values === undefined) return `:${name}: `
    return values === 'file' ? `:${name}:_files` : values === 'directory' ? `:${name}:_files -/` : `:${name}:(${values.join(' ')})`
  }
  const specs = completedFlags.map((flag) => {
    if (flag.name === 'help') return `    '(- *)--help[${quoteForZsh(flag.help)}]'`
    // "=-" means that a value must follow after "=". "::" makes the value optional.
    const separator = flag.name.length === 1 ? '' : flag.isSwitch ? '=-' : '='
    return `    '*${formatOption(flag)}${separator}[${quoteForZsh(flag.help)}]${flag.isSwitch ? ':' : ''}${formatAction(flag)}'`
  })
  const described = Object.entries(commands).map(([name, help]) => `'${name}:${quoteForZsh(help)}'`)
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

function createFishScript(completedFlags: readonly CompletedFlag[]): string {
  const quoteForFish = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
  const lines = completedFlags.map((flag) => {
    const { values, isSwitch } = flag
    const value = isSwitch
      ? ''
      : values === 'file'
        ? ' -r -F'
        : values === 'directory'
          ? " -x -a '(__fish_complete_directories)'"
          : ` -x${values === undefined ? '' : ` -a ${quoteForFish(values.join(' '))}`}`
    return `complete -c keelson -${flag.name.length === 1 ? 's' : 'l'} ${flag.name}${value} -d ${quoteForFish(flag.help)}`
  })
  const commandLines = Object.entries(commands).map(
    ([name, help]) => `complete -c keelson -n __fish_use_subcommand -a ${name} -d ${quoteForFish(help)}`,
  )
  return `# fish completion for keelson
complete -c keelson -f
${commandLines.join('\n')}
complete -c keelson -n '__fish_seen_subcommand_from completion' -a '${shells.join(' ')}'
${lines.join('\n')}
`
}

function createPowershellScript(completedFlags: readonly CompletedFlag[]): string {
  const quoteForPowershell = (text: string): string => `'${text.replaceAll("'", "''")}'`
  const table = completedFlags.map((flag) => {
    const values = Array.isArray(flag.values) ? flag.values : []
    return `    ${quoteForPowershell(formatOption(flag))} = @{ help = ${quoteForPowershell(flag.help)}; values = @(${values.map(quoteForPowershell).join(', ')}); suffix = ${quoteForPowershell(flag.isSwitch ? '' : '=')} }`
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
    ${shells.map(quoteForPowershell).join(', ')} | Where-Object { $_.StartsWith($word) } | ForEach-Object { & $result $_ $_ }
    return
  }
  if ($word -like '-*') {
    $flags.GetEnumerator() | Where-Object { $_.Key.StartsWith($word) } | ForEach-Object { & $result ($_.Key + $_.Value.suffix) $_.Value.help }
    return
  }
  ${Object.keys(commands).map(quoteForPowershell).join(', ')} | Where-Object { $_.StartsWith($word) } | ForEach-Object { & $result $_ $_ }
}
`
}
