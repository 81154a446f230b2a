import type { Deployment } from '@keelson/api/apps/v1'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { expectTypeOf, test } from 'vitest'
import type { AdmissionModule } from './admission-module.ts'

interface Widget extends KubeObject {
  spec?: { size?: number }
}
declare module './resource-types.ts' {
  interface ResourceTypes {
    'widgets.example.com': Widget
  }
}

test('the functions of a module get the objects of their resource', () => {
  const module: AdmissionModule = {
    name: 'Typed',
    after: 'PodSecurity',
    resources: {
      'deployments.apps': {
        admit: ({ object }) => void expectTypeOf(object).toEqualTypeOf<Deployment>(),
        validate: ({ object }) => void expectTypeOf(object).toEqualTypeOf<DeepReadonly<Deployment>>(),
        validateDelete: ({ oldObject }) => void expectTypeOf(oldObject).toEqualTypeOf<DeepReadonly<Deployment>>(),
      },
      'widgets.example.com': { admit: ({ object }) => void expectTypeOf(object).toEqualTypeOf<Widget>() },
      // @ts-expect-error There is no such resource.
      wodgets: {},
    },
  }
  expectTypeOf(module).toExtend<AdmissionModule>()
  // @ts-expect-error A module has one place.
  const both: AdmissionModule = { name: 'Typed', after: 'A', before: 'B', resources: {} }
  expectTypeOf(both.name).toBeString()
})
