import type { KubeObject } from '@keelson/apimachinery'

/** Returns a running pod of a Deployment with about 3 KB of JSON. The codec benchmark uses it. */
export function createFixturePod(): KubeObject {
  const object: unknown = {
    metadata: {
      name: 'checkout-7d9c6b8f5d-x2k4q',
      generateName: 'checkout-7d9c6b8f5d-',
      namespace: 'shop',
      uid: '0d4f2b1e-6a43-4a1f-9a1e-5b7d3c2f1a90',
      resourceVersion: '184467',
      generation: 1,
      creationTimestamp: '2026-03-14T09:26:53Z',
      labels: { app: 'checkout', 'pod-template-hash': '7d9c6b8f5d', tier: 'backend' },
      annotations: { 'prometheus.io/port': '9102', 'prometheus.io/scrape': 'true' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'checkout-7d9c6b8f5d',
          uid: '7f1d9f0c-58c1-4e5b-8c65-0d0e6c2f7b11',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      volumes: [
        { name: 'settings', configMap: { name: 'checkout-settings', defaultMode: 420 } },
        {
          name: 'kube-api-access-7tq5z',
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            ],
            defaultMode: 420,
          },
        },
      ],
      containers: [
        {
          name: 'checkout',
          image: 'images.example.com/shop/checkout:2.14.0',
          args: ['--listen=:8080', '--log-level=info'],
          ports: [
            { name: 'http', containerPort: 8080, protocol: 'TCP' },
            { name: 'metrics', containerPort: 9102, protocol: 'TCP' },
          ],
          env: [
            { name: 'REGION', value: 'eu-central-1' },
            { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
            { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'checkout-db', key: 'password' } } },
          ],
          resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
          volumeMounts: [
            { name: 'settings', readOnly: true, mountPath: '/etc/checkout' },
            { name: 'kube-api-access-7tq5z', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
          ],
          readinessProbe: {
            httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'checkout',
      serviceAccount: 'checkout',
      nodeName: 'worker-3',
      securityContext: { runAsUser: 1000, fsGroup: 2000 },
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-03-14T09:27:05Z' },
        { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-03-14T09:26:53Z' },
      ],
      hostIP: '192.168.10.13',
      podIP: '10.0.3.27',
      podIPs: [{ ip: '10.0.3.27' }],
      startTime: '2026-03-14T09:26:53Z',
      containerStatuses: [
        {
          name: 'checkout',
          state: { running: { startedAt: '2026-03-14T09:26:58Z' } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'images.example.com/shop/checkout:2.14.0',
          imageID: 'images.example.com/shop/checkout@sha256:6c3c624b58dbbcd3c0dd82b4c53f04194d1247c6eebdaab7c610cf7d66709b3b',
          containerID: 'containerd://3a5f1c9d7e2b4860a1c3e5f70918273645aabbccddeeff00112233445566778f',
          started: true,
        },
      ],
      qosClass: 'Burstable',
    },
  }
  return object as KubeObject
}
