import { gardens, widgets } from './widgets.fixture.ts'
import { describeResource } from './describe-resource.ts'

describeResource(widgets, {
  valid: () => ({ metadata: {}, spec: { size: 1 } }),
  invalid: [
    { title: 'a negative size', object: () => ({ metadata: { name: 'a' }, spec: { size: -1 } }), field: 'spec.size' },
    { title: 'no name', object: () => ({ metadata: {} }), field: 'metadata.name' },
    { title: 'a bad label', object: () => ({ metadata: { name: 'a', labels: { '-': 'x' } } }), field: 'metadata.labels' },
  ],
})
describeResource(gardens, { valid: () => ({ metadata: {} }) })
