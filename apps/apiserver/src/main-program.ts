import { UsageError, parseArguments } from './arguments.ts'
import type { ParsedArguments } from './arguments.ts'
import { flags } from './flags.ts'
import type { FlagValues } from './flags.ts'
import { createLog } from './create-log.ts'
import { helpText } from './help.ts'
import { watchIdleMemory } from './idle-memory.ts'
import { serverOptions } from './server-options.ts'
import { StartError, explain } from './start-error.ts'

const wrongUsage = 2
const cannotStart = 1

/** The program: arguments in, exit code out. */
export async function main(argv: readonly string[]): Promise<void> {
  let values: FlagValues
  try {
    const parsed = await parse(argv)
    if (parsed.help) {
      process.stdout.write(helpText(flags, process.stdout.columns ?? 100))
      return
    }
    if (parsed.version) {
      const { versionInfo } = await import('@keelson/control-plane')
      process.stdout.write(`Kubernetes ${versionInfo().gitVersion}\n`)
      return
    }
    values = parsed.values as unknown as FlagValues
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`keelson: ${error.message}\n`)
    process.exitCode = wrongUsage
    return
  }
  try {
    await serve(values)
  } catch (error) {
    const known = explain(error, values)
    process.stderr.write(
      known instanceof StartError ? `keelson: ${known.message}\n` : `keelson: cannot start: ${String((error as Error)?.stack ?? error)}\n`,
    )
    process.exit(known instanceof StartError && known.isUsage ? wrongUsage : cannotStart)
  }
}

/** The command line, and behind it the file that it names. */
async function parse(argv: readonly string[]): Promise<ParsedArguments> {
  const parsed = parseArguments(argv, flags)
  const file = parsed.values['config']
  if (parsed.help || parsed.version || typeof file !== 'string') return parsed
  const { readConfigFile } = await import('./config-file.ts')
  return parseArguments(argv, flags, await readConfigFile(file, flags))
}

async function serve(values: FlagValues): Promise<void> {
  const log = createLog(values.v, values['logging-format'])
  const options = await serverOptions(values, log)
  const { createServerChain } = await import('@keelson/control-plane')
  const chain = await createServerChain(options)

  let stopping = false
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(cannotStart)
    stopping = true
    log(1, `${signal}: stopping`)
    chain.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`keelson: stopping failed: ${String((error as Error)?.stack ?? error)}\n`)
        process.exit(cannotStart)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // One request's lost promise must not end everybody else's server.
  process.on('unhandledRejection', (reason) => log(0, `unhandled rejection: ${String((reason as Error)?.stack ?? reason)}`))

  try {
    await chain.listen()
    await chain.ready
  } catch (error) {
    if (stopping) return
    await chain.close().catch(() => {})
    throw error
  }
  if (stopping) return
  watchIdleMemory()
  process.stdout.write(
    `keelson is ready at ${chain.url} (kubeconfig ${chain.kubeconfigPath}, started in ${Math.round(performance.now())} ms)\n`,
  )
}
