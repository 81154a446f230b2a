import { isatty } from 'node:tty'
import { parseArguments } from './arguments.ts'
import type { ParsedArguments } from './arguments.ts'
import { flags } from './flags.ts'
import type { FlagValues } from './flags.ts'
import { createLog, createTextWriter } from './create-log.ts'
import { formatHelp } from './help.ts'
import { watchIdleMemory } from './idle-memory.ts'
import { LogVerbosity } from './log-verbosity.ts'
import { bindAddress } from './options/serving.ts'
import { getKubeconfigPath, readServerOptions } from './server-options.ts'
import type { ServiceManager } from './service-manager.ts'
import { createStopSignals } from './stop-signals.ts'
import { Problems, StartError, explain } from './start-error.ts'

const wrongUsage = 2
const cannotStart = 1

/** Runs the program with command-line arguments. Sets the exit code of the process. */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv[0] === 'kubeconfig') return runKubeconfig(argv.slice(1))
  if (argv[0] === 'envtest-assets') return runEnvtestAssets(argv.slice(1))
  if (argv[0] === 'envtest-etcd' || argv[0] === 'envtest-apiserver') return runEnvtestProgram(argv[0], argv.slice(1))
  return runServer(argv)
}

async function runEnvtestProgram(command: 'envtest-apiserver' | 'envtest-etcd', argv: readonly string[]): Promise<void> {
  const { endWithParent } = await import('./envtest/end-with-parent.ts')
  endWithParent()
  if (command === 'envtest-etcd') return (await import('./envtest/etcd-program.ts')).runEtcdProgram(argv)
  const { createServerArguments } = await import('./envtest/apiserver-arguments.ts')
  return runServer(await createServerArguments(argv))
}

async function runServer(argv: readonly string[]): Promise<void> {
  const parsed = await parse(argv)
  if (parsed.command === 'help') {
    process.stdout.write(formatHelp(flags, process.stdout.columns ?? 100))
    return
  }
  if (parsed.command !== undefined && parsed.problems.length === 0) {
    process.stdout.write(await createCommandOutput(parsed))
    return
  }
  const values = parsed.values as unknown as FlagValues
  const problems = new Problems()
  for (const problem of parsed.problems) problems.usage(problem)
  try {
    await serve(values, problems)
  } catch (error) {
    const explained = explain(error, values, bindAddress(values))
    report(explained instanceof StartError ? [explained.message] : [`cannot start: ${String((error as Error)?.stack ?? error)}`])
    process.exit(cannotStart)
  }
}

async function runKubeconfig(argv: readonly string[]): Promise<void> {
  const { runKubeconfigCommand } = await import('./kubeconfig-command.ts')
  const problems = new Problems()
  printOutput(await runKubeconfigCommand(argv, problems), problems)
}

async function runEnvtestAssets(argv: readonly string[]): Promise<void> {
  const { runAssetsCommand } = await import('./envtest/assets-command.ts')
  const problems = new Problems()
  const [node, entry = ''] = [process.execPath, process.argv[1]]
  printOutput(await runAssetsCommand(argv, { node, nodeFlags: process.execArgv, entry }, problems), problems)
}

/** Prints the text of a command. Without a text, reports the problems. */
function printOutput(text: string | undefined, problems: Problems): void {
  report(problems.messages)
  if (text === undefined) process.exitCode = problems.hasUsage ? wrongUsage : cannotStart
  else process.stdout.write(text)
}

async function connectSystemd(log: ReturnType<typeof createLog>): Promise<ServiceManager | undefined> {
  const { connectServiceManager } = await import('./service-manager.ts')
  return connectServiceManager({ environment: process.env, onError: (error) => log(0, 'systemd cannot be notified', { err: error }) })
}

async function createCommandOutput({ command, shell }: ParsedArguments): Promise<string> {
  if (command === 'completion') {
    const { createCompletionScript } = await import('./completion.ts')
    return createCompletionScript(shell!)
  }
  const { formatVersion } = await import('./version-text.ts')
  return formatVersion(command === 'raw version')
}

/** Parses the command line and the file in the flag `--config`. */
async function parse(argv: readonly string[]): Promise<ParsedArguments> {
  const parsed = parseArguments(argv, flags)
  const file = parsed.values['config']
  if (parsed.command !== undefined || typeof file !== 'string') return parsed
  const { readConfigFile } = await import('./config-file.ts')
  return parseArguments(argv, flags, await readConfigFile(file, flags))
}

function report(messages: readonly string[]): void {
  process.stderr.write(messages.map((message) => `keelson: ${message}\n`).join(''))
}

async function serve(values: FlagValues, problems: Problems): Promise<void> {
  const verbosity = new LogVerbosity(values.v, values.vmodule)
  const format = values['logging-format']
  const log = createLog({ verbosity, format })
  const options = await readServerOptions(values, { log, verbosity, writeText: createTextWriter({ format }) }, problems)
  const { createServerChain, findOptionProblems, getVersionInfo, writeKubeconfig } = await import('@keelson/control-plane')
  for (const problem of await findOptionProblems(options)) problems.usage(problem)
  if (problems.messages.length > 0) {
    report(problems.messages)
    process.exitCode = problems.hasUsage ? wrongUsage : cannotStart
    return
  }
  const chain = await createServerChain(options)

  const manager = process.env['NOTIFY_SOCKET'] ? await connectSystemd(log) : undefined
  let isStopping = false
  const stop = (signal: NodeJS.Signals): void => {
    isStopping = true
    log(0, 'Stopping', { signal })
    const notified = manager?.notify('STOPPING=1')
    chain.close().then(
      async () => {
        await notified
        log(0, 'Stopped', { uptime: `${Math.round(process.uptime())}s` })
        process.exit(0)
      },
      (error: unknown) => {
        report([`stopping failed: ${String((error as Error)?.stack ?? error)}`])
        process.exit(cannotStart)
      },
    )
  }
  const onSignal = createStopSignals({ stop, abandon: () => process.exit(cannotStart), now: () => performance.now() })
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  // Stops on SIGHUP if there is a terminal, because the signal means that the terminal was closed. Without a terminal, SIGHUP asks for a
  // reload, which is unnecessary because changed files are reloaded anyway. Ignoring the signal also makes `nohup` work, because Node does
  // not inherit ignored signals.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  process.on('SIGHUP', hasTerminal ? onSignal : () => log(0, 'Ignored a signal', { signal: 'SIGHUP' }))
  // Ignores write errors: if the terminal or pipe of the log was closed, the server continues without a log.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // Logs unhandled rejections, because a single one must not end the server for all users.
  process.on('unhandledRejection', (reason) => log(0, 'Unhandled rejection', { err: String((reason as Error)?.stack ?? reason) }))

  let kubeconfig = chain.kubeconfigPath
  try {
    await chain.listen()
    kubeconfig ??= await writeKubeconfig(getKubeconfigPath(values), chain.kubeconfig).then(
      () => getKubeconfigPath(values),
      (error: unknown) => {
        // Continues, because a server with in-memory storage can run without this file.
        log(0, 'The kubeconfig cannot be written; choose another --data-dir', { err: error })
        return undefined
      },
    )
    log(0, 'Serving', {
      version: getVersionInfo().gitVersion,
      node: process.version,
      storage: options.storage?.type,
      address: `${options.serving?.bindAddress}:${new URL(chain.url).port || 443}`,
    })
    await chain.ready
  } catch (error) {
    if (isStopping) return
    await chain.close().catch(() => {})
    throw error
  }
  if (isStopping) return
  watchIdleMemory()
  void manager?.notify('READY=1', `STATUS=Serving at ${chain.url}`)
  process.stdout.write(
    `keelson is ready at ${chain.url} (kubeconfig ${kubeconfig ?? 'not written'}, started in ${Math.round(performance.now())} ms)\n`,
  )
}
