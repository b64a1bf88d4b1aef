/** The texts of a new package that are no code. */

const SCOPE = '@mcp-fittings/';

export function manifestOf({ folder, description, versions, dependencies, devDependencies }) {
  const ranges = (names) => Object.fromEntries(names.map((name) => [SCOPE + name, `^${versions[name]}`]));
  return {
    name: SCOPE + folder,
    version: '0.0.0',
    description,
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.19' },
    keywords: ['mcp', 'model-context-protocol'],
    repository: {
      type: 'git',
      url: 'git+https://github.com/mcp-fittings/mcp-fittings.git',
      directory: `packages/${folder}`,
    },
    exports: {
      '.': {
        '@mcp-fittings/source': './src/index.ts',
        types: './dist/index.d.ts',
        default: './dist/index.js',
      },
      './package.json': './package.json',
    },
    files: ['dist', '!dist/*.tsbuildinfo'],
    scripts: { build: 'tsc -b' },
    dependencies: ranges(dependencies),
    devDependencies: ranges(devDependencies),
    publishConfig: { access: 'public', directory: 'publish', provenance: true },
  };
}

export function tsconfigOf(dependencies) {
  return {
    extends: '../../tsconfig.base.json',
    compilerOptions: {
      composite: true,
      rootDir: 'src',
      outDir: 'dist',
      tsBuildInfoFile: 'dist/.tsbuildinfo',
    },
    include: ['src'],
    references: dependencies.map((name) => ({ path: `../${name}` })),
  };
}

export const TESTS_TSCONFIG = {
  extends: '../../../tsconfig.base.json',
  compilerOptions: { noEmit: true, customConditions: ['@mcp-fittings/source'] },
  include: ['.'],
};

export function readmeOf({ folder, description, usage, needs }) {
  const forExample = needs.length > 0 ? `npm install ${needs.join(' ')} # for the example\n` : '';
  return `# ${SCOPE}${folder}

${description}

\`\`\`sh
npm install ${SCOPE}${folder}
${forExample}\`\`\`

\`\`\`ts
${usage}
\`\`\`

## Related

\`${SCOPE}client-core\` (the contracts) · \`${SCOPE}testkit\` (the contract suite that it passes)
`;
}

export function changesetOf({ folder, description }) {
  return `---\n'${SCOPE}${folder}': minor\n---\n\nFirst release. ${description}\n`;
}
