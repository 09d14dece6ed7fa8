/** The course in the side bar: modules, lessons, sections, how far the user is, and search. */

import { ReactWidget } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { useEffect, useState } from 'react';
import type { Client } from '../client';
import { torchwiseIcon } from '../icons';
import type { Course } from './course';
import type { IHit, ILessonRow, IModuleRow } from './messages';

export interface ILessonActions {
  read(id: string, anchor: string | null): void;
  openNotebook(id: string): void;
}

interface IProps {
  client: Client;
  course: Course;
  trans: TranslationBundle;
  actions: ILessonActions;
}

export class LessonsPanel extends ReactWidget {
  constructor(private props: IProps) {
    super();
    const { trans } = props;
    this.id = 'torchwise-lessons';
    this.addClass('tw-Lessons');
    this.title.icon = torchwiseIcon;
    this.title.caption = trans.__('PyTorch lessons');
    this.node.setAttribute('aria-label', trans.__('PyTorch lessons'));
    this.node.setAttribute('role', 'region');
  }

  protected override render() {
    return <Lessons {...this.props} />;
  }
}

const SEARCH_AFTER_MS = 250;

function Lessons(props: IProps) {
  const { trans } = props;
  const [modules, trouble] = useCourse(props);
  const [wanted, setWanted] = useState('');
  const hits = useHits(props.course, wanted);
  return (
    <>
      <h2 className="tw-Lessons-title">{trans.__('PyTorch lessons')}</h2>
      <input
        type="search"
        className="jp-mod-styled tw-Lessons-search"
        placeholder={trans.__('Search the lessons')}
        aria-label={trans.__('Search the lessons')}
        value={wanted}
        onChange={event => setWanted(event.target.value)}
      />
      {trouble !== null && <p role="alert">{trouble}</p>}
      {hits !== null ? (
        <Hits {...props} hits={hits} />
      ) : (
        modules.map(module => <Module key={module.id} {...props} module={module} />)
      )}
    </>
  );
}

/** Asked for when the server is there, and again when something was noted. */
function useCourse({ client, course }: IProps): [IModuleRow[], string | null] {
  const [modules, setModules] = useState<IModuleRow[]>([]);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    const ask = () => {
      if (client.ready) {
        course.list().then(
          list => {
            setModules(list.modules);
            setTrouble(null);
          },
          error => setTrouble(String(error.message))
        );
      }
    };
    ask();
    client.stateChanged.connect(ask);
    course.changed.connect(ask);
    return () => {
      client.stateChanged.disconnect(ask);
      course.changed.disconnect(ask);
    };
  }, [client, course]);
  return [modules, trouble];
}

/** Null while nothing is searched for. */
function useHits(course: Course, wanted: string): IHit[] | null {
  const [hits, setHits] = useState<IHit[] | null>(null);
  useEffect(() => {
    let current = true;
    if (!wanted.trim()) {
      setHits(null);
      return;
    }
    const timer = setTimeout(() => {
      course.search(wanted).then(
        found => current && setHits(found),
        () => current && setHits([])
      );
    }, SEARCH_AFTER_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [course, wanted]);
  return hits;
}

function Hits({ trans, actions, hits }: IProps & { hits: IHit[] }) {
  return (
    <>
      <p role="status" className="tw-Lessons-count">
        {trans._n('%1 section', '%1 sections', hits.length)}
      </p>
      <ul className="tw-Lessons-hits">
        {hits.map(hit => (
          <li key={`${hit.lesson}#${hit.anchor}`}>
            <button
              type="button"
              className="tw-Link"
              onClick={() => actions.read(hit.lesson, hit.anchor)}
            >
              {hit.title}
            </button>
            <div className="tw-Lessons-excerpt">{hit.excerpt}</div>
          </li>
        ))}
      </ul>
    </>
  );
}

function Module(props: IProps & { module: IModuleRow }) {
  const { trans, module } = props;
  const done = module.lessons.filter(lesson => lesson.done).length;
  return (
    <details className="tw-Module">
      <summary title={module.goal}>
        <span className="tw-Module-title">{module.title}</span>
        <span className="tw-Module-done" title={trans.__('Lessons done')}>
          {done}/{module.lessons.length}
        </span>
      </summary>
      {module.lessons.map(lesson => (
        <Lesson key={lesson.id} {...props} lesson={lesson} />
      ))}
    </details>
  );
}

function Lesson(props: IProps & { lesson: ILessonRow }) {
  const { trans, lesson } = props;
  const sections = lesson.sections.filter(section => section.level === 2);
  const read = sections.filter(section => section.read).length;
  return (
    <details className="tw-LessonRow">
      <summary title={lesson.goal}>
        <span className={lesson.done ? 'tw-LessonRow-done' : 'tw-LessonRow-open'} aria-hidden>
          {lesson.done ? '✓' : read ? '◐' : '○'}
        </span>
        <span>{lesson.title}</span>
        <span className="tw-LessonRow-minutes">{trans.__('%1 min', lesson.minutes)}</span>
      </summary>
      <p className="tw-LessonRow-goal">{lesson.goal}</p>
      <LessonButtons {...props} />
      <ol className="tw-LessonRow-sections">
        {sections.map(section => (
          <SectionLink key={section.anchor} {...props} section={section} />
        ))}
      </ol>
    </details>
  );
}

function LessonButtons({ trans, actions, lesson }: IProps & { lesson: ILessonRow }) {
  return (
    <p className="tw-LessonRow-buttons">
      <button
        type="button"
        className="jp-mod-styled jp-mod-accept"
        onClick={() => actions.read(lesson.id, null)}
      >
        {trans.__('Read')}
      </button>
      <button
        type="button"
        className="jp-mod-styled"
        onClick={() => actions.openNotebook(lesson.id)}
      >
        {trans.__('Open as notebook')}
      </button>
    </p>
  );
}

type Section = ILessonRow['sections'][number];

function SectionLink({
  trans,
  actions,
  lesson,
  section
}: IProps & { lesson: ILessonRow; section: Section }) {
  return (
    <li>
      <button
        type="button"
        className="tw-Link"
        onClick={() => actions.read(lesson.id, section.anchor)}
      >
        {section.title}
      </button>
      {section.read && <span title={trans.__('Read')}> ✓</span>}
    </li>
  );
}
