import { jsonKinds } from '@keelson/api'
import type { GroupVersionTypes, KindType } from '@keelson/api'
import { autoscalingV1 } from '@keelson/api/autoscaling/v1'
import { metaV1 } from '@keelson/api/meta/v1'
import { fieldError, newFieldPath, createStructSchema } from '@keelson/apimachinery'
import type { FieldErrorList, FieldSchema, KubeObject, StructSchema } from '@keelson/apimachinery'
import { defineApiGroup, defineResource } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'

export interface Widget extends KubeObject {
  spec?: { size?: number; replicas?: number; color?: string }
  status?: { replicas?: number; phase?: string }
}

const groupVersion = { group: 'widgets.example.com', version: 'v1' }

function validate({ spec = {} }: Pick<Widget, 'spec'>): FieldErrorList {
  const { size = 0 } = spec
  return size > 0 ? [] : [fieldError.invalid(newFieldPath('spec', 'size'), size, 'must be greater than 0')]
}

const widgets = defineResource<Widget>({
  ...groupVersion,
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  shortNames: ['wd'],
  setDefaults(widget) {
    widget.spec ??= {}
    widget.spec.replicas ??= 1
  },
  strategy: {
    prepareForCreate: (_context, widget) => void delete widget.status,
    prepareForUpdate(_context, widget, old) {
      delete widget.status
      if (old.status !== undefined) widget.status = { ...old.status }
    },
    validateCreate: (_context, widget) => validate(widget),
    validateUpdate: (_context, widget) => validate(widget),
  },
  columns: [
    { name: 'Size', type: 'integer', value: ({ spec }) => spec?.size ?? 0 },
    { name: 'Phase', value: ({ status }) => status?.phase ?? '<none>' },
  ],
  selectableFields: { 'spec.color': ({ spec }) => spec?.color ?? '' },
  subresources: { status: { update: { prepareForUpdate: (_context, widget, old) => void Object.assign(widget, { spec: old.spec }) } } },
  scale: {
    getReplicas: ({ spec }) => spec?.replicas ?? 0,
    setReplicas: (widget, replicas) => void (widget.spec = { ...widget.spec, replicas }),
    getStatusReplicas: ({ status }) => status?.replicas ?? 0,
    replicasPath: 'spec.replicas',
    formatSelector: () => '',
  },
})

/** Group version of the kind Scale, for the subresource scale of widgets. */
const scales = autoscalingV1

/** The kind Widget without a schema. It keeps all fields of an object. */
const untypedWidgets: GroupVersionTypes = jsonKinds(groupVersion, [{ kind: 'Widget' }])

/** The kind Widget with a hand-written schema and protobuf encoding. */
const typedWidgets: GroupVersionTypes = {
  groupVersion,
  kinds: [handWritten(createWidgetSchema())],
  table: untypedWidgets.table,
}

function createWidgetSchema(): StructSchema {
  const createField = (name: string, kind: 'int32' | 'string'): FieldSchema => ({ name, type: { kind }, omit: 'empty' })
  const createPart = (name: string, fields: readonly FieldSchema[]): StructSchema =>
    createStructSchema({ name, definition: `com.example.widgets.v1.${name}`, fields })
  const metadata = metaV1.table.resolve('PartialObjectMetadata').byName.get('metadata')!
  return createStructSchema({
    name: 'Widget',
    definition: 'com.example.widgets.v1.Widget',
    gvk: { ...groupVersion, kind: 'Widget' },
    fields: [
      createField('kind', 'string'),
      createField('apiVersion', 'string'),
      metadata,
      {
        name: 'spec',
        type: createPart('WidgetSpec', [createField('size', 'int32'), createField('replicas', 'int32'), createField('color', 'string')]),
        omit: 'zero',
      },
      {
        name: 'status',
        type: createPart('WidgetStatus', [createField('replicas', 'int32'), createField('phase', 'string')]),
        omit: 'zero',
      },
    ],
  })
}

/**
 * Creates a kind whose protobuf message contains the JSON of the object as its only field. This is enough, because only the same server
 * decodes it.
 */
function handWritten(schema: StructSchema): KindType {
  return {
    gvk: schema.gvk!,
    schema,
    encodeProto: (object) => Buffer.from(JSON.stringify(object)),
    decodeProto: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as KubeObject,
  }
}

function createGroup(types: GroupVersionTypes): ApiGroup {
  return defineApiGroup({ name: groupVersion.group, priority: 1000, types: [types, scales], resources: [widgets] })
}

export const typedGroup: ApiGroup = createGroup(typedWidgets)
export const untypedGroup: ApiGroup = createGroup(untypedWidgets)
