import { findOnPath } from './find-on-path.ts'
import { reportMissing } from './report-missing.ts'

/** Returns the path of kube-apiserver. No package has it and its compilation takes long, so its tests are skipped in CI, too. */
export function findKubeApiserver(): string | undefined {
  return (
    process.env['KUBE_APISERVER_BIN'] ?? findOnPath('kube-apiserver') ?? reportMissing('kube-apiserver', 'set KUBE_APISERVER_BIN', true)
  )
}
