import DefaultTheme from 'vitepress/theme';
import { nextTick, onMounted, watch } from 'vue';
import { useData, useRoute } from 'vitepress';
// oxlint-disable-next-line import/no-unassigned-import -- a style sheet
import './style.css';

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    const { isDark } = useData();
    const draw = () => nextTick(() => drawDiagrams(isDark.value));
    onMounted(draw);
    watch(() => route.path, draw);
  },
};

/** Loaded only by pages that have a diagram. */
async function drawDiagrams(isDark) {
  const diagrams = document.querySelectorAll('pre.mermaid:not([data-processed])');
  if (diagrams.length === 0) return;
  const { default: mermaid } = await import('mermaid');
  mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', theme: isDark ? 'dark' : 'neutral' });
  await mermaid.run({ nodes: diagrams });
}
