import { getVersionInfo } from '@keelson/control-plane'

/** Returns the output of `--version` or `--version=raw`, in kube-apiserver's format. */
export function formatVersion(isRaw: boolean): string {
  const build = getVersionInfo()
  if (!isRaw) return `Kubernetes ${build.gitVersion}\n`
  const fields = Object.entries(build).map(([name, value]) => `${name[0]!.toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`)
  return `version.Info{${fields.join(', ')}}\n`
}
