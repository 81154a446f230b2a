import type * as v1 from '@keelson/api/autoscaling/v1'
import type { Scheme } from '@keelson/apimachinery'
import { setAutoscalerDefaults } from './defaults.ts'
import { dropConversionAnnotations } from './v1/annotations.ts'
import { fromHub, toHub } from './v1/convert.ts'

const kind = 'HorizontalPodAutoscaler'
const hub = { group: 'autoscaling', version: 'v2', kind }

/** Registers both versions and their conversions. The scheme passes only objects of the registered kind, so the casts are safe. */
export function registerAutoscalers(scheme: Scheme): void {
  scheme.register({
    gvk: hub,
    hub,
    setDefaults: (object) => setAutoscalerDefaults(object),
    toHub: (object) => dropConversionAnnotations(object),
  })
  scheme.register({
    gvk: { ...hub, version: 'v1' },
    hub,
    setDefaults(object) {
      const spec = ((object as v1.HorizontalPodAutoscaler).spec ??= { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 })
      spec.minReplicas ??= 1
    },
    toHub: (object) => toHub(object),
    fromHub: (object) => fromHub(object),
  })
}
