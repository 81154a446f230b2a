import { execFileSync } from 'node:child_process'
import { findOnPath } from './find-on-path.ts'
import { installGoProgram } from './install-go-program.ts'

/** Helm version to compile. It uses the client-go of Kubernetes 1.36, so it shares compiled packages with the client-go test program. */
const version = 'v4.2.4'

/** Returns the path of Helm: the environment variable HELM_BIN, else Helm 4 on PATH, else Helm compiled from source. */
export async function findHelm(): Promise<string | undefined> {
  const file = process.env['HELM_BIN'] ?? findOnPath('helm')
  if (file !== undefined && isHelm4(file)) return file
  return await installGoProgram({ subject: 'helm', name: `helm-${version}`, package: `helm.sh/helm/v4/cmd/helm@${version}` })
}

function isHelm4(binary: string): boolean {
  try {
    return execFileSync(binary, ['version', '--template={{.Version}}'], { encoding: 'utf8' }).startsWith('v4.')
  } catch {
    return false
  }
}
