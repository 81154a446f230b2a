import type { Container, PodSpec, Volume } from '@keelson/api/core/v1'

const volumePrefix = 'kube-api-access-'
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
/** One hour plus 7 seconds. The seven seconds mark these tokens. */
const expirationSeconds = 3607

/** Mounts the token in every container without a mount at its path. Adds the volume with the first mount. */
export function mountToken(spec: PodSpec, newName: (base: string) => string): void {
  const present = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix))
  const name = present?.name ?? newName(volumePrefix)
  const needed = [mountInto(spec.initContainers, name), mountInto(spec.containers, name)].includes(true)
  if (needed && present === undefined) (spec.volumes ??= []).push(tokenVolume(name))
}

function mountInto(containers: readonly Container[] | null | undefined, name: string): boolean {
  let mounted = false
  for (const container of containers ?? []) {
    const mounts = (container.volumeMounts ??= [])
    if (mounts.some((mount) => mount.mountPath === mountPath)) continue
    mounts.push({ name, readOnly: true, mountPath })
    mounted = true
  }
  return mounted
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
      ],
      defaultMode: 0o644,
    },
  }
}
