import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'

/** Receiver of a process's output. `end*` is called after the last chunk of each stream. */
export interface ProcessEnds {
  writeStdout(piece: Buffer): boolean
  writeStderr(piece: Buffer): boolean
  /** Called after all output with the exit status, which is a Status object like the kubelet's. */
  finish(status: object): void
}

/** Runs a command on this machine instead of in a container. */
export function runProcess(command: readonly string[], ends: ProcessEnds): ChildProcess {
  const [file = 'true', ...rest] = command
  const child = spawn(file, rest, { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  child.stdout.on('data', (piece: Buffer) => ends.writeStdout(piece) || child.stdout.pause())
  child.stderr.on('data', (piece: Buffer) => ends.writeStderr(piece) || child.stderr.pause())
  let failure = ''
  child.once('error', (error) => (failure = error.message))
  child.once('close', (code) =>
    ends.finish(failure === '' ? exitStatus(code ?? 137) : { metadata: {}, status: 'Failure', message: failure }),
  )
  return child
}

/** Resumes a process that was paused because the client read too slowly. */
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
