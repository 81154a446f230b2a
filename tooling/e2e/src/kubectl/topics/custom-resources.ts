import { matchLines, matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

function formatDefinition(group: string): string {
  const spec = {
    type: 'object',
    description: 'What the job does.',
    required: ['schedule'],
    properties: {
      schedule: { type: 'string', description: 'When the job runs, as in cron.' },
      image: { type: 'string', default: 'busybox' },
      replicas: { type: 'integer', minimum: 0 },
    },
  }
  const status = { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } }
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `crontabs.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'crontabs', kind: 'CronTab', shortNames: ['ct'], categories: ['timers'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
          additionalPrinterColumns: [
            { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
            { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
            { name: 'Image', type: 'string', jsonPath: '.spec.image', priority: 1 },
          ],
          selectableFields: [{ jsonPath: '.spec.image' }],
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        },
      ],
    },
  })
}

export const customResources: Topic = {
  'a definition from creation to deletion': async (session) => {
    const group = `${session.namespace}.example.com`
    const kind = `customresourcedefinition.apiextensions.k8s.io/crontabs.${group}`
    const formatCronTab = (spec: object): string =>
      JSON.stringify({ apiVersion: `${group}/v1`, kind: 'CronTab', metadata: { name: 'c' }, spec })
    await session.play(
      ['apply -f -', `${kind} created`, formatDefinition(group)],
      [`wait --for=condition=Established ${kind} --timeout=20s`, `${kind} condition met`],
      ['apply -f -', `crontab.${group}/c created`, formatCronTab({ schedule: '* * * * *', replicas: 1 })],
      [`get crontabs.${group}`, matchTable('NAME SCHEDULE REPLICAS', 'c * * * * * 1')],
      [`get ct.${group} -o wide`, matchTable('NAME SCHEDULE REPLICAS IMAGE', 'c * * * * * 1 busybox')],
      [`get crontabs.${group} --field-selector spec.image=busybox -o name`, `crontab.${group}/c`],
      [
        `explain crontabs.${group}.spec`,
        matchLines('schedule <string> -required-', 'When the job runs, as in cron.', 'replicas <integer>'),
      ],
      [`scale crontab.${group}/c --replicas=3`, `crontab.${group}/c scaled`],
      [`get crontab.${group}/c -o jsonpath={.spec.replicas},{.metadata.generation}`, '3,2'],
      [`patch crontab.${group}/c --subresource=status --type=merge -p {"status":{"phase":"Ready"}}`, `crontab.${group}/c patched`],
      [`get crontab.${group}/c -o jsonpath={.status.phase},{.metadata.generation}`, 'Ready,2'],
      [
        'apply -f -',
        { code: 1, stderr: [/strict decoding error: unknown field "spec\.colour"/] },
        formatCronTab({ schedule: 'x', colour: 'red' }),
      ],
      ['apply -f -', { code: 1, stderr: [/is invalid: spec\.schedule: Required value/] }, formatCronTab({ replicas: 1 })],
      [
        'apply --server-side --force-conflicts -f -',
        `crontab.${group}/c serverside-applied`,
        formatCronTab({ schedule: '1 * * * *', replicas: 5 }),
      ],
      [`get crontab.${group}/c -o jsonpath={.spec.schedule}`, '1 * * * *'],
      [`label crontab.${group}/c a=b`, `crontab.${group}/c labeled`],
      ['get timers -o name', `crontab.${group}/c`],
      [`delete crontab.${group}/c`, new RegExp(`^crontab.${group} "c" deleted`)],
      ['apply -f -', `crontab.${group}/c created`, formatCronTab({ schedule: 'x' })],
      [`delete ${kind} --timeout=20s`, new RegExp(`^customresourcedefinition.apiextensions.k8s.io "crontabs.${group}" deleted`)],
      [`get --raw /apis/${group}/v1/crontabs`, { code: 1, stderr: /the server could not find the requested resource|404 page not found/ }],
    )
  },
}
