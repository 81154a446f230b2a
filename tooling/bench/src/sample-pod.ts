export const namespace = 'bench'

/** Creates a pod whose JSON has about the given size, padded with annotations. `name` can contain the placeholder "{n}". */
export function createSamplePod(name: string, bytes: number): object {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: 'bench', name }, annotations: {} as Record<string, string> },
    spec: {
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'main',
          image: 'registry.example/bench:1',
          ports: [{ name: 'http', containerPort: 8080 }],
          env: [{ name: 'MODE', value: 'bench' }],
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '256Mi' } },
        },
      ],
    },
  }
  // Leaves room for about 1 KB of defaults and managed fields, which the server adds.
  for (let i = 0; JSON.stringify(pod).length < bytes - 1200; i++)
    pod.metadata.annotations[`example.com/note-${i}`] = 'a line of text that means nothing. '.repeat(7)
  return pod
}
