import { formatFieldError, newFieldPath } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { validateInlineVolumeSpec } from './validate-inline.ts'

it('ignores the volume attributes class of an inline volume', () => {
  const spec = { csi: { driver: 'd.example.com', volumeHandle: 'h' }, accessModes: ['ReadWriteOnce'], volumeAttributesClassName: 'No Name' }
  expect(validateInlineVolumeSpec(spec, newFieldPath('spec'))).toEqual([])
  expect(validateInlineVolumeSpec({ ...spec, accessModes: [] }, newFieldPath('spec')).map(formatFieldError)).toEqual([
    'spec.accessModes: Required value',
  ])
})
