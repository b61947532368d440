//! Gold pairs: asked now and then, judged apart, and exact on resume.

use ordain::data::{Answer, Ask, Gold, ItemId, Outcome};
use ordain::gp::AnswerModel;
use ordain::{Inference, Project, Recorder, Watch};

use super::{Folder, line, log, some_answers};

fn known() -> Gold {
    let pair = |first: u32, second: u32| (ItemId(first), ItemId(second), Outcome::First);
    Gold::new([pair(0, 11), pair(1, 9), pair(10, 2)]).unwrap()
}

fn said(first: ItemId, second: ItemId, outcome: Outcome, judge: &str) -> Answer {
    Answer::new(first, Some(second), outcome).unwrap().by(judge)
}

/// Answers about gold pairs, however many, change nothing that is believed, asked or tuned, to the bit; and no strategy asks such a pair.
#[test]
fn nothing_is_learned_from_gold() {
    let answers = some_answers(30).into_iter().filter(|answer| !known().is_about(answer)).collect::<Vec<_>>();
    let mut with = answers.clone();
    for (at, &(first, second)) in known().pairs().iter().enumerate() {
        with.insert(3 * at, said(first, second, Outcome::Second, "ann"));
        with.push(said(second, first, Outcome::Tie, "bob"));
    }
    for model in [AnswerModel::learning(0.3).unwrap(), AnswerModel::new(0.5, 0.3).unwrap()] {
        let model = line().with_answer_model(model).with_gold(known(), 0.3).unwrap();
        let of = |answers: &[Answer]| model.clone().with_answers(log(answers)).unwrap();
        let (with, without) = (of(&with), of(&answers));
        for inference in [Inference::Ep, Inference::Incremental] {
            let [one, other] = [&with, &without].map(|model| model.fit(inference, &Watch::NONE).unwrap());
            assert_eq!(one.belief().mean(), other.belief().mean());
            assert_eq!((one.answer_model(), one.learned()), (other.answer_model(), answers.len()));
        }
        let session = with.session(&Default::default(), None, &Watch::NONE).unwrap();
        let many = session.ask_many(66).unwrap();
        assert!(!many.is_empty());
        assert!(many.iter().all(|question| known().known(question.first, question.second).is_none()));
    }
}

/// About the stated share of questions, each pair once per judge, either side first; the same for whoever asks again.
#[test]
fn gold_is_asked_at_its_rate() {
    let model = line().with_gold(known(), 0.25).unwrap();
    let asking = model.asking(&Default::default()).unwrap();
    let mut answers = Vec::new();
    let (mut asked, mut left) = (Vec::new(), 0);
    for count in 0..200 {
        let now = model.clone().with_answers(log(&answers)).unwrap();
        let judge = format!("judge {}", count / 10);
        let question = now.gold_question(&asking, Some(&judge), None);
        assert_eq!(question, now.gold_question(&asking, Some(&judge), None));
        answers.push(match question {
            Some([first, second]) => {
                let known = known().known(first, second).unwrap();
                asked.push((judge.clone(), first.min(second)));
                left += usize::from(known == Outcome::First);
                said(first, second, known, &judge)
            }
            None => said(ItemId(3), ItemId(4), Outcome::First, &judge),
        });
        // A pool without gold pairs has none.
        assert_eq!(now.gold_question(&asking, Some(&judge), Some(&[(ItemId(3), ItemId(4))])), None);
    }
    // 200 draws at .25, less those of judges who had all three: five deviations around 46.
    assert!((20..76).contains(&asked.len()), "{}", asked.len());
    assert!(left > asked.len() / 5 && left < asked.len() * 4 / 5, "{left} of {}", asked.len());
    let mut once = asked.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), asked.len());
    let scores = model.clone().with_answers(log(&answers)).unwrap().gold_scores(0.9);
    assert_eq!(scores.iter().map(|score| score.answers).sum::<usize>(), asked.len());
    assert!(scores.iter().all(|score| score.right == score.answers && score.share.high == 1.0));
    let never = model.with_gold(known(), 0.0).unwrap();
    assert_eq!(never.gold_question(&asking, None, None), None);
}

/// Every form of an answer is right or wrong by what it favours; skips are neither.
#[test]
fn judges_are_judged() {
    let (zero, last) = (ItemId(0), ItemId(11));
    let words = ["first", "first>", "first:0.7", "3:1", "second", "tie", "first:0.2", "1:1", "skip"];
    let answers: Vec<Answer> = words
        .iter()
        .map(|word| said(zero, last, word.parse().unwrap(), "ann"))
        .chain([said(last, zero, Outcome::Second, "")])
        .collect();
    let scores = line().with_gold(known(), 0.1).unwrap().with_answers(log(&answers)).unwrap().gold_scores(0.9);
    let counts: Vec<_> = scores.iter().map(|score| (score.judge.as_deref(), score.answers, score.right)).collect();
    assert_eq!(counts, [(None, 1, 1), (Some("ann"), 8, 4)]);
    let share = scores[1].share;
    assert!(share.mean == 0.5 && share.low > 0.2 && share.high < 0.8);
    assert!(line().with_gold(known(), 1.5).is_err());
    let contradiction = [(zero, last, Outcome::First), (last, zero, Outcome::First)];
    assert!(Gold::new(contradiction).unwrap_err().to_string().contains("one of them"));
    assert!(Gold::new([(zero, last, Outcome::Skip)]).is_err() && Gold::new([(zero, zero, Outcome::Tie)]).is_err());
}

/// In a project: gold answers go to the log and are taken back from it; whoever opens it again goes on as if nothing had happened.
#[test]
fn a_project_with_gold() {
    let folder = Folder::new();
    folder.write("items.csv", "id,x\na,1\nb,2\nc,3\nd,4\ne,5\nf,6\n");
    folder.write("answers.csv", "");
    folder.write("gold.csv", "first,second,outcome\nf,a,first\ne,b,first\nd,a,first\n");
    let settings = "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"independent\"\n[answers]\nnoise = \"learn\"\n";
    folder.write("ordain.toml", &format!("{settings}gold = \"gold.csv\"\ngold_rate = 0.4\n"));
    let mut live = Project::open(folder.path("")).unwrap();
    let mut gold = 0;
    for count in 0..14 {
        let mut again = Project::open(folder.path("")).unwrap();
        let asked = live.gold_question(Some("ann")).unwrap();
        assert_eq!(again.gold_question(Some("ann")).unwrap(), asked);
        assert_eq!(again.ask().unwrap(), live.ask().unwrap());
        let answer = match asked {
            Some([left, right]) => {
                gold += 1;
                said(left, right, Outcome::First, "ann")
            }
            None => live.ask().unwrap().unwrap().answer(Outcome::First).unwrap().by("ann"),
        };
        let before = live.ask().unwrap();
        live.tell(answer.clone()).unwrap();
        if asked.is_some() {
            assert_eq!(live.ask().unwrap(), before, "a gold answer changes no question");
        }
        if count == 9 {
            assert_eq!(live.undo(Some("ann"), None).unwrap(), Some(answer));
        }
    }
    assert!(gold > 0);
    let recorder = Recorder::open(folder.path("")).unwrap();
    assert_eq!(recorder.learned(), live.session().unwrap().learned());
    assert_eq!(live.model().answers().standing().len(), 13);
    // A last answer about a gold pair is taken back, and no other.
    let learned = live.session().unwrap().learned();
    live.tell(said(ItemId(0), ItemId(5), Outcome::Second, "bob")).unwrap();
    assert_eq!(live.model().gold_scores(0.9).len(), 2);
    assert!(live.undo(Some("bob"), None).unwrap().is_some());
    assert_eq!(live.session().unwrap().learned(), learned);
    // A rate needs a file, and the log is not it.
    folder.write("ordain.toml", &format!("{settings}gold_rate = 0.4\n"));
    assert!(Project::open(folder.path("")).err().unwrap().to_string().contains("a key gold beside it"));
    folder.write("ordain.toml", &format!("{settings}gold = \"answers.csv\"\n"));
    assert!(Project::open(folder.path("")).is_err());
}

/// Whether strengths are asked is written where it is read.
#[test]
fn strengths_are_a_setting() {
    let folder = Folder::new();
    folder.write("items.csv", "id,x\na,1\nb,2\n");
    folder.write("answers.csv", "");
    folder.write("ordain.toml", "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"independent\"\n");
    let mut project = Project::open(folder.path("")).unwrap();
    assert!(!project.model().ask().strengths);
    project.save_ask(Ask::default().with_strengths(true)).unwrap();
    let mut project = Project::open(folder.path("")).unwrap();
    assert!(project.model().ask().strengths);
    project.check_log().unwrap();
    assert!(folder.read("ordain.toml").contains("strengths = true"));
    folder.write("answers.csv", "winner,loser\na,b\n");
    let error = Project::open(folder.path("")).unwrap().check_log().unwrap_err();
    assert!(error.to_string().contains("first>>"), "{error}");
}
