import { execFileSync } from 'node:child_process'
import { findOnPath } from './find-on-path.ts'
import { installGoProgram } from './install-go-program.ts'

/** Of the line that is made with the client-go of Kubernetes 1.36: what is compiled for our own program on it serves both. */
const version = 'v4.2.4'

/** HELM_BIN, else the one on PATH if it is a Helm 4, else compiled from source. */
export async function findHelm(): Promise<string | undefined> {
  const found = process.env['HELM_BIN'] ?? findOnPath('helm')
  if (found !== undefined && isHelm4(found)) return found
  return await installGoProgram({ what: 'helm', name: `helm-${version}`, package: `helm.sh/helm/v4/cmd/helm@${version}` })
}

function isHelm4(binary: string): boolean {
  try {
    return execFileSync(binary, ['version', '--template={{.Version}}'], { encoding: 'utf8' }).startsWith('v4.')
  } catch {
    return false
  }
}
