import type { ReplicationController } from '@keelson/api/core/v1'
import type { ScaledBy } from '@keelson/registry'

export const scaledReplicationControllers: ScaledBy<ReplicationController> = {
  replicasPath: 'spec.replicas',
  replicas: ({ spec }) => spec?.replicas ?? 0,
  setReplicas: (controller, replicas) => void (controller.spec = { ...controller.spec, replicas }),
  statusReplicas: ({ status }) => status?.replicas ?? 0,
  selector: ({ spec }) =>
    Object.entries(spec?.selector ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(','),
}
