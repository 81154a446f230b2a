import { versionInfo } from '@keelson/control-plane'

/** What `--version` and `--version=raw` print, in kube-apiserver's form. */
export function versionText(isRaw: boolean): string {
  const info = versionInfo()
  if (!isRaw) return `Kubernetes ${info.gitVersion}\n`
  const fields = Object.entries(info).map(([name, value]) => `${name[0]!.toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`)
  return `version.Info{${fields.join(', ')}}\n`
}
