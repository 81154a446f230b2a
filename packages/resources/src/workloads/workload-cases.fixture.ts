interface Cases {
  readonly valid: object
  readonly invalid: Readonly<Record<string, object>>
}

const container = { name: 'c', image: 'i' }
const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } }
const selector = { matchLabels: { app: 'a' } }
const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [container] } } }
const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }

function createDeployment(members: object): object {
  return { spec: { selector, template, ...members } }
}

function createJob(members: object): object {
  return { spec: { ...jobSpec, ...members } }
}

function createCronJob(members: object): object {
  return { spec: { schedule: '0 * * * *', jobTemplate: { spec: jobSpec }, ...members } }
}

function createAutoscaler(members: object): object {
  return { spec: { scaleTargetRef: target, maxReplicas: 3, ...members } }
}

/** Valid and invalid objects by plural. The key of an invalid object is the field of its error. */
export const workloadCases: Readonly<Record<string, Cases>> = {
  controllerrevisions: {
    valid: { revision: 1, data: { spec: {} } },
    invalid: { data: { revision: 1, data: [] }, revision: { revision: -1, data: {} } },
  },
  daemonsets: {
    valid: createDeployment({}),
    invalid: {
      'spec.selector': createDeployment({ selector: {} }),
      'spec.template.spec.activeDeadlineSeconds': createDeployment({
        template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 1 } },
      }),
      'spec.updateStrategy': createDeployment({ updateStrategy: { type: 'Recreate' } }),
      'spec.updateStrategy.rollingUpdate.maxSurge': createDeployment({
        updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      }),
    },
  },
  deployments: {
    valid: createDeployment({ replicas: 2 }),
    invalid: {
      'spec.template.metadata.labels': createDeployment({ selector: { matchLabels: { app: 'b' } } }),
      'spec.strategy': createDeployment({ strategy: { type: 'Other' } }),
      'spec.strategy.rollingUpdate': createDeployment({ strategy: { type: 'Recreate', rollingUpdate: {} } }),
      'spec.strategy.rollingUpdate.maxUnavailable': createDeployment({
        strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } },
      }),
      'spec.progressDeadlineSeconds': createDeployment({ minReadySeconds: 5, progressDeadlineSeconds: 5 }),
      'spec.rollback.version': { metadata: { annotations: { 'deprecated.deployment.rollback.to': '-1' } }, ...createDeployment({}) },
    },
  },
  replicasets: {
    valid: createDeployment({}),
    invalid: { 'spec.replicas': createDeployment({ replicas: -1 }), 'spec.selector': { spec: { template } } },
  },
  statefulsets: {
    valid: createDeployment({
      serviceName: 's',
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      ],
    }),
    invalid: {
      'spec.podManagementPolicy': createDeployment({ podManagementPolicy: 'None' }),
      'spec.updateStrategy.rollingUpdate': createDeployment({ updateStrategy: { type: 'OnDelete', rollingUpdate: {} } }),
      'spec.ordinals.start': createDeployment({ ordinals: { start: -1 } }),
      'spec.serviceName': createDeployment({ serviceName: 'a.b' }),
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled': createDeployment({
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Keep' },
      }),
    },
  },
  jobs: {
    valid: createJob({ completions: 3, parallelism: 2 }),
    invalid: {
      'spec.template.spec.restartPolicy': { spec: { template } },
      'spec.completions': createJob({ completionMode: 'Indexed', parallelism: 1 }),
      'spec.managedBy': createJob({ managedBy: 'me' }),
      'spec.successPolicy.rules[0].succeededIndexes': createJob({
        completionMode: 'Indexed',
        completions: 3,
        successPolicy: { rules: [{ succeededIndexes: '0,2-3' }] },
      }),
      'spec.podFailurePolicy.rules[0].onExitCodes.values[0]': createJob({
        podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0] } }] },
      }),
    },
  },
  cronjobs: {
    valid: createCronJob({ timeZone: 'Europe/Berlin' }),
    invalid: {
      'spec.schedule': createCronJob({ schedule: '60 * * * *' }),
      'spec.timeZone': createCronJob({ timeZone: 'europe/berlin' }),
      'spec.jobTemplate.spec.selector': createCronJob({ jobTemplate: { spec: { ...jobSpec, selector } } }),
      'spec.concurrencyPolicy': createCronJob({ concurrencyPolicy: 'Never' }),
    },
  },
  horizontalpodautoscalers: {
    valid: createAutoscaler({}),
    invalid: {
      'spec.maxReplicas': createAutoscaler({ minReplicas: 4 }),
      'spec.scaleTargetRef.apiVersion': createAutoscaler({ scaleTargetRef: { kind: 'Deployment', name: 'd' } }),
      'spec.metrics[0].pods': createAutoscaler({ metrics: [{ type: 'Pods' }] }),
      'spec.metrics[0].resource.target.averageUtilization': createAutoscaler({
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Value' } } }],
      }),
      'spec.behavior.scaleUp.policies': createAutoscaler({ behavior: { scaleUp: { policies: [] } } }),
      'spec.behavior.scaleDown.tolerance': createAutoscaler({ behavior: { scaleDown: { tolerance: '-1' } } }),
    },
  },
}
