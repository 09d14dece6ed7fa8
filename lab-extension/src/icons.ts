/** Our icon: an underline that something stands upon. */

import { LabIcon } from '@jupyterlab/ui-components';

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
  <g class="jp-icon3 jp-icon-selectable" fill="none" stroke="#616161" stroke-width="1.6" stroke-linecap="round"
    stroke-linejoin="round">
    <path d="M8 1.6v4.2M8 5.8a2.6 2.6 0 1 0 .1 0"/>
    <path d="M1.6 13.6l2.1-1.7 2.2 1.7 2.1-1.7 2.2 1.7 2.1-1.7 2.1 1.7"/>
  </g>
</svg>`;

export const torchwiseIcon = new LabIcon({
  name: 'torchwise:icon',
  svgstr: SVG
});
