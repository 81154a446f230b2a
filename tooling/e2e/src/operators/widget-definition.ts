const conditions = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    properties: {
      type: { type: 'string', maxLength: 316 },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      reason: { type: 'string', minLength: 1, maxLength: 1024 },
      message: { type: 'string', maxLength: 32768 },
      lastTransitionTime: { type: 'string', format: 'date-time' },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    },
  },
}

const status = {
  type: 'object',
  properties: {
    observedGeneration: { type: 'integer', format: 'int64' },
    configMap: { type: 'string' },
    replicas: { type: 'integer' },
    conditions,
  },
}

function createSchema(specProperties: object, required: readonly string[]): object {
  const spec = { type: 'object', required, properties: { ...specProperties, text: { type: 'string', maxLength: 20 } } }
  return { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status } } }
}

/** Returns the definition of widgets. Version v2 is stored, and a webhook converts v1. */
export function createWidgetDefinition(webhook: { readonly url: string; readonly caBundle: string }): object {
  const size = { type: 'object', required: ['millimetres'], properties: { millimetres: { type: 'integer', minimum: 1 } } }
  const replicas = { type: 'integer', minimum: 0, default: 1 }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.demo.example.com' },
    spec: {
      group: 'demo.example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', shortNames: ['wd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: false,
          schema: createSchema({ sizeCentimetres: { type: 'integer', minimum: 1 } }, ['sizeCentimetres']),
          subresources: { status: {} },
        },
        {
          name: 'v2',
          served: true,
          storage: true,
          schema: createSchema({ size, replicas }, ['size']),
          subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
          additionalPrinterColumns: [{ name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' }],
        },
      ],
      conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: webhook } },
    },
  }
}
