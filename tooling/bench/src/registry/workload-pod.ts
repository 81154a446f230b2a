import type { JsonObject } from '@keelson/apimachinery'
import { namespace } from '../sample-pod.ts'

/**
 * Creates a pod like the controller of a Deployment does. With defaults and a token volume it has almost 3 KB, with managed fields 4.4 KB.
 */
export function createWorkloadPod(name: string): JsonObject {
  return {
    metadata: {
      name,
      namespace,
      labels: { app: 'checkout', 'pod-template-hash': '7d9c6b8f5d', tier: 'backend' },
      annotations: {
        'prometheus.io/port': '9102',
        'prometheus.io/scrape': 'true',
        'example.com/contact': 'the people who look after the checkout, at any hour of the day',
      },
    },
    spec: {
      volumes: [
        { name: 'settings', configMap: { name: 'checkout-settings' } },
        { name: 'scratch', emptyDir: {} },
      ],
      containers: [
        {
          name: 'checkout',
          image: 'images.example.com/shop/checkout:2.14.0',
          args: ['--listen=:8080', '--log-level=info'],
          ports: [
            { name: 'http', containerPort: 8080 },
            { name: 'metrics', containerPort: 9102 },
          ],
          env: [
            { name: 'REGION', value: 'eu-central-1' },
            { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'checkout-db', key: 'password' } } },
          ],
          resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
          volumeMounts: [
            { name: 'settings', readOnly: true, mountPath: '/etc/checkout' },
            { name: 'scratch', mountPath: '/tmp' },
          ],
          readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
        },
      ],
      securityContext: { runAsUser: 1000, fsGroup: 2000 },
    },
  }
}
