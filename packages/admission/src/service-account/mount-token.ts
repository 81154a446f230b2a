import type { Container, PodSpec, Volume } from '@keelson/api/core/v1'

const volumePrefix = 'kube-api-access-'
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
/** Lifetime of mounted tokens: one hour and 7 seconds. The 7 seconds distinguish these tokens from others, as in kube-apiserver. */
const expirationSeconds = 3607

/** Mounts the service account token in every container that has no mount at its path. Adds the volume together with the first mount. */
export function mountToken(spec: PodSpec, newName: (base: string) => string): void {
  const present = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix))
  const name = present?.name ?? newName(volumePrefix)
  const needed = [mountInto(spec.initContainers, name), mountInto(spec.containers, name)].includes(true)
  if (needed && present === undefined) (spec.volumes ??= []).push(createTokenVolume(name))
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

function createTokenVolume(name: string): Volume {
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
