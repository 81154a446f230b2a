import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'

/** Where a process's bytes go, whatever carries them. `end*` after the last of each. */
export interface ProcessEnds {
  stdout(piece: Buffer): boolean
  stderr(piece: Buffer): boolean
  /** Everything was said; how it ended, as kubelets say it. */
  exited(status: object): void
}

/** A command in the place of a container. */
export function runProcess(command: readonly string[], ends: ProcessEnds): ChildProcess {
  const [file = 'true', ...rest] = command
  const child = spawn(file, rest, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  child.stdout.on('data', (piece: Buffer) => ends.stdout(piece) || child.stdout.pause())
  child.stderr.on('data', (piece: Buffer) => ends.stderr(piece) || child.stderr.pause())
  let failure = ''
  child.once('error', (error) => (failure = error.message))
  child.once('close', (code) =>
    ends.exited(failure === '' ? exitStatus(code ?? 137) : { metadata: {}, status: 'Failure', message: failure }),
  )
  return child
}

/** The client took what waited. */
export function resumeProcess(child: ChildProcess): void {
  child.stdout?.resume()
  child.stderr?.resume()
}

function exitStatus(code: number): object {
  if (code === 0) return { metadata: {}, status: 'Success' }
  return {
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  }
}
