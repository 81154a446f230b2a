import type { JsonObject } from '@keelson/apimachinery'

export function createRichContainer(name: string): JsonObject {
  return {
    name,
    image: 'registry.example.com/app:1.2',
    command: ['/app'],
    args: ['--name=$(NAME)'],
    env: [
      { name: 'NAME', value: 'x' },
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
    ],
    envFrom: [{ prefix: 'P_', configMapRef: { name: 'c', optional: true } }],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
    volumeMounts: [{ name: 'scratch', mountPath: '/scratch', subPath: 'a' }],
  }
}

/** A pod spec that uses most fields of pods. */
export const richPodSpec: JsonObject = {
  containers: [
    {
      ...createRichContainer('a'),
      livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 5 },
      readinessProbe: { tcpSocket: { port: 8080 }, failureThreshold: 2 },
      startupProbe: { exec: { command: ['true'] } },
      lifecycle: { preStop: { sleep: { seconds: 1 } } },
      securityContext: { runAsNonRoot: true, runAsUser: 1000, capabilities: { drop: ['ALL'] }, allowPrivilegeEscalation: false },
    },
    { name: 'b', image: 'b' },
  ],
  volumes: [
    { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'settings', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }], defaultMode: 420 } },
    {
      name: 'all',
      projected: {
        sources: [{ secret: { name: 's' } }, { downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } }],
      },
    },
  ],
  nodeSelector: { zone: 'a' },
  tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }],
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] } },
      ],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'a' } } },
      ],
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: { app: 'a' } } },
  ],
  securityContext: { fsGroup: 2000, seccompProfile: { type: 'RuntimeDefault' }, sysctls: [{ name: 'net.core.somaxconn', value: '1' }] },
  terminationGracePeriodSeconds: 10,
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.example.com'] }],
  dnsConfig: { nameservers: ['10.0.0.10'], searches: ['example.com'], options: [{ name: 'ndots', value: '2' }] },
}
