interface Cases {
  readonly valid: object
  readonly invalid: Readonly<Record<string, object>>
}

const container = { name: 'c', image: 'i' }
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } }
const selector = { matchLabels: { app: 'a' } }
const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [container] } } }
const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }

function deployment(members: object): object {
  return { spec: { selector, template, ...members } }
}

function job(members: object): object {
  return { spec: { ...jobSpec, ...members } }
}

function cronJob(members: object): object {
  return { spec: { schedule: '0 * * * *', jobTemplate: { spec: jobSpec }, ...members } }
}

function autoscaler(members: object): object {
  return { spec: { scaleTargetRef: target, maxReplicas: 3, ...members } }
}

/** Valid and invalid objects by plural. The key of an invalid object is the field of its error. */
export const workloadCases: Readonly<Record<string, Cases>> = {
  controllerrevisions: {
    valid: { revision: 1, data: { spec: {} } },
    invalid: { data: { revision: 1, data: [] }, revision: { revision: -1, data: {} } },
  },
  daemonsets: {
    valid: deployment({}),
    invalid: {
      'spec.selector': deployment({ selector: {} }),
      'spec.template.spec.activeDeadlineSeconds': deployment({
        template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 1 } },
      }),
      'spec.updateStrategy': deployment({ updateStrategy: { type: 'Recreate' } }),
      'spec.updateStrategy.rollingUpdate.maxSurge': deployment({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
    },
  },
  deployments: {
    valid: deployment({ replicas: 2 }),
    invalid: {
      'spec.template.metadata.labels': deployment({ selector: { matchLabels: { app: 'b' } } }),
      'spec.strategy': deployment({ strategy: { type: 'Other' } }),
      'spec.strategy.rollingUpdate': deployment({ strategy: { type: 'Recreate', rollingUpdate: {} } }),
      'spec.strategy.rollingUpdate.maxUnavailable': deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } }),
      'spec.progressDeadlineSeconds': deployment({ minReadySeconds: 5, progressDeadlineSeconds: 5 }),
      'spec.rollback.version': { metadata: { annotations: { 'deprecated.deployment.rollback.to': '-1' } }, ...deployment({}) },
    },
  },
  replicasets: {
    valid: deployment({}),
    invalid: { 'spec.replicas': deployment({ replicas: -1 }), 'spec.selector': { spec: { template } } },
  },
  statefulsets: {
    valid: deployment({
      serviceName: 's',
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      ],
    }),
    invalid: {
      'spec.podManagementPolicy': deployment({ podManagementPolicy: 'None' }),
      'spec.updateStrategy.rollingUpdate': deployment({ updateStrategy: { type: 'OnDelete', rollingUpdate: {} } }),
      'spec.ordinals.start': deployment({ ordinals: { start: -1 } }),
      'spec.serviceName': deployment({ serviceName: 'a.b' }),
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled': deployment({ persistentVolumeClaimRetentionPolicy: { whenScaled: 'Keep' } }),
    },
  },
  jobs: {
    valid: job({ completions: 3, parallelism: 2 }),
    invalid: {
      'spec.template.spec.restartPolicy': { spec: { template } },
      'spec.completions': job({ completionMode: 'Indexed', parallelism: 1 }),
      'spec.managedBy': job({ managedBy: 'me' }),
      'spec.successPolicy.rules[0].succeededIndexes': job({
        completionMode: 'Indexed',
        completions: 3,
        successPolicy: { rules: [{ succeededIndexes: '0,2-3' }] },
      }),
      'spec.podFailurePolicy.rules[0].onExitCodes.values[0]': job({
        podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0] } }] },
      }),
    },
  },
  cronjobs: {
    valid: cronJob({ timeZone: 'Europe/Berlin' }),
    invalid: {
      'spec.schedule': cronJob({ schedule: '60 * * * *' }),
      'spec.timeZone': cronJob({ timeZone: 'europe/berlin' }),
      'spec.jobTemplate.spec.selector': cronJob({ jobTemplate: { spec: { ...jobSpec, selector } } }),
      'spec.concurrencyPolicy': cronJob({ concurrencyPolicy: 'Never' }),
    },
  },
  horizontalpodautoscalers: {
    valid: autoscaler({}),
    invalid: {
      'spec.maxReplicas': autoscaler({ minReplicas: 4 }),
      'spec.scaleTargetRef.apiVersion': autoscaler({ scaleTargetRef: { kind: 'Deployment', name: 'd' } }),
      'spec.metrics[0].pods': autoscaler({ metrics: [{ type: 'Pods' }] }),
      'spec.metrics[0].resource.target.averageUtilization': autoscaler({
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Value' } } }],
      }),
      'spec.behavior.scaleUp.policies': autoscaler({ behavior: { scaleUp: { policies: [] } } }),
      'spec.behavior.scaleDown.tolerance': autoscaler({ behavior: { scaleDown: { tolerance: '-1' } } }),
    },
  },
}
